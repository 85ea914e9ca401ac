/**
 * Counters of ports besides decisions: requests and their outcomes, upstream servers, suppressed
 * log lines. Counters are looked up when a server is set up, never by name per request. Uses the
 * JDK alone; the gateway writes the counters, the metrics read them.
 */
@NullMarked
package io.weir.server.traffic;

import org.jspecify.annotations.NullMarked;
