/**
 * Text that all modules share: hints of error messages, and durations such as {@code 30s}.
 *
 * <p>Uses nothing. Used by all modules but the client; not part of the library's API.
 */
@NullMarked
package io.weir.text;

import org.jspecify.annotations.NullMarked;
