/**
 * The Prometheus metrics of this server's decisions and of its JVM. Built anew at each scrape, so
 * that nothing is kept, and nothing is loaded before the first one. Uses the decision path and
 * Micrometer; used by the admin port.
 */
@NullMarked
package io.weir.server.metrics;

import org.jspecify.annotations.NullMarked;
