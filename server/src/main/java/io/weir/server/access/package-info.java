/**
 * The access log: an optional line for each request to the gateway and the service. Event loops
 * queue the lines and one thread writes them; a full queue drops lines and never delays a request.
 * Uses the packages http and logs. The server opens it, and the gateway adds the upstream server.
 */
@NullMarked
package io.weir.server.access;

import org.jspecify.annotations.NullMarked;
