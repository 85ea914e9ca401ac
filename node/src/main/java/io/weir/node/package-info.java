/**
 * All that a front stands on, opened and closed as one: rules, a store, the decision path, and who
 * watches it.
 *
 * <p>Calls the decision path and the watch; is called by whoever starts fronts.
 */
@NullMarked
package io.weir.node;

import org.jspecify.annotations.NullMarked;
