/**
 * How a ruling is told over HTTP: headers, status and body, the same for every front. And how the
 * fields of a request are read that rules ask for.
 *
 * <p>Calls the rules. Called by the fronts, {@code cases}, {@code replay} and the command.
 */
@NullMarked
package io.weir.rules.http;

import org.jspecify.annotations.NullMarked;
