/** The Weir library: limits, decisions, and a store in memory. */
module io.weir {
  requires static org.jspecify;

  exports io.weir;
  exports io.weir.algorithm to
      io.weir.redis;
  exports io.weir.field to
      io.weir.client;
  exports io.weir.memory to
      io.weir.redis;
  exports io.weir.text to
      io.weir.redis,
      io.weir.rules,
      io.weir.rules.tools;

  uses io.weir.Store.Provider;

  provides io.weir.Store.Provider with
      io.weir.memory.MemoryProvider;
}
