/**
 * What is measured: Weir, its peers and its floors, all behind one method.
 *
 * <p>Calls core and the peers' libraries. Called by every suite.
 */
@NullMarked
package io.weir.bench.contender;

import org.jspecify.annotations.NullMarked;
