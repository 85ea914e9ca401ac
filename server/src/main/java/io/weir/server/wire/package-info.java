/**
 * HTTP/1.1 in clear to servers: Netty's codec, and the headers and transport of Vert.x.
 *
 * <p>It does one thing, a request after the other over connections that are kept, for whoever is on
 * the same event loop; so it costs a fraction of what a client for everything costs.
 */
@NullMarked
package io.weir.server.wire;

import org.jspecify.annotations.NullMarked;
