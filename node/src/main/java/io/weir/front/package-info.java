/**
 * What the fronts inside other people's applications share: how a request is judged there without
 * harm to the application, and how one is held.
 *
 * <p>Calls the decision path; is called by filters and interceptors.
 */
@NullMarked
package io.weir.front;

import org.jspecify.annotations.NullMarked;
