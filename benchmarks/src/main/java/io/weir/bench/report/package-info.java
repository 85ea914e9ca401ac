/**
 * Numbers into tables: spreads, bars, Markdown, and the file that keeps the results.
 *
 * <p>Calls nothing of the project. Called by every suite and by the command.
 */
@NullMarked
package io.weir.bench.report;

import org.jspecify.annotations.NullMarked;
