/**
 * Who asks for how much, and what becomes of it: seen beside the decision path, kept in bounded
 * memory, and told to whoever asks.
 *
 * <p>Knows what is counted, and the rules; no front and no network. The server starts it, the admin
 * port asks it.
 */
@NullMarked
package io.weir.seeing;

import org.jspecify.annotations.NullMarked;
