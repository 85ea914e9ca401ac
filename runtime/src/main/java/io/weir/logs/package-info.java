/**
 * Log entries that carry fields besides their text, and their JSON format. Uses no other package;
 * any package may log.
 */
@NullMarked
package io.weir.logs;

import org.jspecify.annotations.NullMarked;
