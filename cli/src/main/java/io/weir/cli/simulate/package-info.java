/**
 * What {@code weir simulate} shows of a replay: a summary for the terminal, a bar while it runs,
 * and a report of one HTML file.
 *
 * <p>Calls {@code io.weir.rules.replay}. Called by the command alone.
 */
@NullMarked
package io.weir.cli.simulate;

import org.jspecify.annotations.NullMarked;
