/**
 * The public API: limits, the limiter that applies them, its decisions, and the interface that a
 * store implements.
 *
 * <p>Uses only the JDK. Used by every module.
 */
@NullMarked
package io.weir;

import org.jspecify.annotations.NullMarked;
