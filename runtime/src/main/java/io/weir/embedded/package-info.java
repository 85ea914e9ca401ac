/**
 * What front ends inside applications share: decisions that cannot harm the application, and
 * delayed requests.
 *
 * <p>Uses the decision path and the runtime. Used by filters and interceptors.
 */
@NullMarked
package io.weir.embedded;

import org.jspecify.annotations.NullMarked;
