/**
 * Who may stay connected to a port, and for how long without asking anything.
 *
 * <p>Works on bytes and frames, below HTTP. Is called by the room http, and calls no other room.
 */
@NullMarked
package io.weir.server.door;

import org.jspecify.annotations.NullMarked;
