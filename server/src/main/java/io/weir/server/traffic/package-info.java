/**
 * What ports count besides decisions: requests and their ends, servers behind the gateway, lines
 * that were not logged. Counters are found when a server is set up, never by name for a request.
 * Knows the JDK alone; the gateway counts, the metrics read.
 */
@NullMarked
package io.weir.server.traffic;

import org.jspecify.annotations.NullMarked;
