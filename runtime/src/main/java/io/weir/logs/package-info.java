/**
 * Log entries with fields besides their text, their JSON format, and loggers that limit their own
 * rate.
 *
 * <p>Uses the clock of {@code core} and the JSON writer of {@code rules}. Used by every front end.
 */
@NullMarked
package io.weir.logs;

import org.jspecify.annotations.NullMarked;
