/**
 * Shared by the front ends that run inside an application: how a request is checked without harm to
 * the application, and how a delayed request is held.
 *
 * <p>Uses the decision path. Used by filters and interceptors.
 */
@NullMarked
package io.weir.front;

import org.jspecify.annotations.NullMarked;
