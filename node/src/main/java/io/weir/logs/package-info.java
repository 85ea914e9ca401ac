/**
 * What is logged: lines that carry fields besides their text, and how they are written as JSON.
 * Knows nobody; everybody may log.
 */
@NullMarked
package io.weir.logs;

import org.jspecify.annotations.NullMarked;
