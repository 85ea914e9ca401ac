/**
 * The health of Weir's store, for Spring Boot 4, where health has moved to; in 3.5 nothing of it is
 * loaded.
 *
 * <p>Calls a node and Spring; is called by Spring.
 */
@NullMarked
package io.weir.spring.boot4;

import org.jspecify.annotations.NullMarked;
