/**
 * Filters for Spring MVC and WebFlux, and how they read requests and write refusals.
 *
 * <p>Uses the servlet filter and the request guard of embedded front ends. Used by the
 * auto-configuration.
 */
@NullMarked
package io.weir.spring.web;

import org.jspecify.annotations.NullMarked;
