/**
 * The health of Weir's store for Spring Boot 4, which moved the health API. Nothing of it is loaded
 * in 3.5.
 *
 * <p>Uses a node and Spring; called by Spring.
 */
@NullMarked
package io.weir.spring.boot4;

import org.jspecify.annotations.NullMarked;
