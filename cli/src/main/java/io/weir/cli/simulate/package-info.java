/**
 * The output of {@code weir simulate}: a summary for the terminal, a progress bar, and a report in
 * one HTML file.
 *
 * <p>Uses {@code io.weir.rules.replay}. Used by the command only.
 */
@NullMarked
package io.weir.cli.simulate;

import org.jspecify.annotations.NullMarked;
