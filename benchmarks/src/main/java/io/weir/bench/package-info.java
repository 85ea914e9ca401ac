/**
 * The command {@code ./bench core}: Weir beside its peers.
 *
 * <p>Calls the suites. Called by people.
 */
@NullMarked
package io.weir.bench;

import org.jspecify.annotations.NullMarked;
