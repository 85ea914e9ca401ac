/**
 * The contenders: Weir, its peers and lower bounds, all behind one method.
 *
 * <p>Uses core and the peers' libraries. Used by every suite.
 */
@NullMarked
package io.weir.bench.contender;

import org.jspecify.annotations.NullMarked;
