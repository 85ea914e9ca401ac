/**
 * How long it takes to find the rules that apply to a request, and to make rules ready.
 *
 * <p>Calls the rules. Called by the command.
 */
@NullMarked
package io.weir.bench.matching;

import org.jspecify.annotations.NullMarked;
