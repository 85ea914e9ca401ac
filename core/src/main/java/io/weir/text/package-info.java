/**
 * Text that the messages of all modules share.
 *
 * <p>Uses nothing. Used for error messages; not part of the library's API.
 */
@NullMarked
package io.weir.text;

import org.jspecify.annotations.NullMarked;
