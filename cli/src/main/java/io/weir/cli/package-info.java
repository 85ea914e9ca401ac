/**
 * The {@code weir} command: a class for each subcommand, and shared options, errors and exit codes.
 *
 * <p>Uses every other package. Called from the command line only.
 */
@NullMarked
package io.weir.cli;

import org.jspecify.annotations.NullMarked;
