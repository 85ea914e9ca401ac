/**
 * What all fronts share over HTTP
 *
 * <p>listening, routing, tokens, addresses of clients, bodies in bounds.:Calls rules; is called by
 * the rooms of the fronts. Knows no front.
 */
@NullMarked
package io.weir.server.http;

import org.jspecify.annotations.NullMarked;
