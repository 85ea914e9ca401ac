/**
 * Log entries that carry fields besides their text, and their JSON format. Uses the clock of core
 * and the JSON writer of rules; any package may log.
 */
@NullMarked
package io.weir.logs;

import org.jspecify.annotations.NullMarked;
