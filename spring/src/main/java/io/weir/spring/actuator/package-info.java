/**
 * The actuator endpoint and the meters of an application.
 *
 * <p>Uses Spring Boot Actuator and Micrometer. Used by the auto-configuration.
 */
@NullMarked
package io.weir.spring.actuator;

import org.jspecify.annotations.NullMarked;
