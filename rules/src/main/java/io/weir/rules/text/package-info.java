/**
 * Reads cells of CSV files, and formats input for messages.
 *
 * <p>Uses no other package of Weir. Used by code that reads files written by people; not part of
 * the public API.
 */
@NullMarked
package io.weir.rules.text;

import org.jspecify.annotations.NullMarked;
