/**
 * What all fronts share over HTTP: listening, routing, tokens, addresses of clients, bodies in
 * bounds, JSON that comes in.
 *
 * <p>Calls door and rules; is called by the rooms of the fronts. Knows no front.
 */
@NullMarked
package io.weir.server.http;

import org.jspecify.annotations.NullMarked;
