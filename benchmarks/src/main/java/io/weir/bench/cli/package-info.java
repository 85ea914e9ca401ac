/**
 * The command line: words, values of options, and named choices.
 *
 * <p>Uses nothing of the project. Used by the suites with options.
 */
@NullMarked
package io.weir.bench.cli;

import org.jspecify.annotations.NullMarked;
