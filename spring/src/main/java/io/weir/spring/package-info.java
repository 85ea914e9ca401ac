/**
 * Weir in a Spring Boot application: its properties, its filters, {@code @RateLimited}, and what
 * the application's own metrics, health and actuator tell.
 *
 * <p>Calls what the fronts inside applications share, the servlet filter and Spring; is called by
 * Spring alone, but for what an application writes itself: the annotation, its exception, and the
 * limiters.
 */
@NullMarked
package io.weir.spring;

import org.jspecify.annotations.NullMarked;
