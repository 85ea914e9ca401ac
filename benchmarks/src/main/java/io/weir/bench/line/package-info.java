/**
 * The command line: words, values of options, and what can be named.
 *
 * <p>Calls nothing. Called by the suites that can be asked for something.
 */
@NullMarked
package io.weir.bench.line;

import org.jspecify.annotations.NullMarked;
