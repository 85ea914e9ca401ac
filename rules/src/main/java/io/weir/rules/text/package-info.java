/**
 * Words for messages: what was read, made fit to be shown.
 *
 * <p>Calls nothing of Weir. Called by whoever reads what people wrote; not for others to use.
 */
@NullMarked
package io.weir.rules.text;

import org.jspecify.annotations.NullMarked;
