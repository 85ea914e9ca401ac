/**
 * The access log: a line for each request to the gateway and the service, for those who ask for it.
 * Lines are queued by event loops and written by a thread of their own; a queue that is full drops
 * them, and never holds up a request. Uses rooms http and logs; the server opens it, the gateway
 * adds what it knows.
 */
@NullMarked
package io.weir.server.access;

import org.jspecify.annotations.NullMarked;
