/**
 * The {@code weir} command: a class for each subcommand, and what they share about options, errors
 * and exit codes.
 *
 * <p>Calls every other room. Called from the command line only.
 */
@NullMarked
package io.weir.cli;

import org.jspecify.annotations.NullMarked;
