/**
 * Weir in a Spring Boot application: properties, filters, {@code @RateLimited}, metrics, health and
 * actuator endpoint.
 *
 * <p>Uses what all embedded front ends share, the servlet filter and Spring. Called by Spring;
 * applications use the annotation, its exception, and the limiters.
 */
@NullMarked
package io.weir.spring;

import org.jspecify.annotations.NullMarked;
