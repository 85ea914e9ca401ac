/**
 * The command {@code ./bench}: Weir compared with its peers, and few rules with many.
 *
 * <p>Uses the suites.
 */
@NullMarked
package io.weir.bench;

import org.jspecify.annotations.NullMarked;
