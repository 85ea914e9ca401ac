/**
 * Decisions over HTTP: headers, status and body, the same for every front end. Also reads the
 * request fields that rules use.
 *
 * <p>Uses the rules. Used by the front ends, {@code io.weir.rules.cases}, {@code
 * io.weir.rules.replay} and the command line.
 */
@NullMarked
package io.weir.rules.http;

import org.jspecify.annotations.NullMarked;
