/**
 * What another limit would have done: recorded demand is decided again under a proposed limit.
 *
 * <p>Used by {@code io.weir.insight} and by the admin port.
 */
@NullMarked
package io.weir.insight.whatif;

import org.jspecify.annotations.NullMarked;
