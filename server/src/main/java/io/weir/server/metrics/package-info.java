/**
 * What was counted, for Prometheus: the decisions of this server, and the virtual machine that it
 * runs on. Made anew at each scrape, so that nothing is kept and nothing is loaded before the first
 * one. Knows the decision path and Micrometer; the admin port calls it.
 */
@NullMarked
package io.weir.server.metrics;

import org.jspecify.annotations.NullMarked;
