/**
 * The command {@code ./bench}: Weir beside its peers, and its rules beside more of them.
 *
 * <p>Calls the suites. Called by people.
 */
@NullMarked
package io.weir.bench;

import org.jspecify.annotations.NullMarked;
