/**
 * The library's outside: limits, the limiter that applies them, its decisions, and the one
 * interface that a store implements.
 *
 * <p>Calls nothing but the JDK. Called by everything.
 */
@NullMarked
package io.weir;

import org.jspecify.annotations.NullMarked;
