/**
 * Formats numbers: spreads, targets, Markdown tables, and the file with the results.
 *
 * <p>Uses nothing of the project. Used by every suite and by the command.
 */
@NullMarked
package io.weir.bench.report;

import org.jspecify.annotations.NullMarked;
