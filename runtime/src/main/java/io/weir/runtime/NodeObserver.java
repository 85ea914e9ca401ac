package io.weir.runtime;

import io.weir.StoreHealth;
import io.weir.TimeSource;
import io.weir.decision.DecisionEngine;
import io.weir.decision.DecisionListener;
import io.weir.decision.RuleSource.RuleChangeListener;
import java.util.function.Supplier;

/**
 * Observes what one node decides. The module {@code weir-insight} has one, for top callers and
 * history.
 */
public interface NodeObserver {
  /** Observes nothing. */
  NodeObserver NONE =
      new NodeObserver() {
        @Override
        public DecisionListener decisionListener() {
          return DecisionListener.NOBODY;
        }

        @Override
        public RuleChangeListener start(
            DecisionEngine decisionEngine,
            BackgroundThread thread,
            TimeSource time,
            Supplier<StoreHealth> health) {
          return RuleChangeListener.NONE;
        }

        @Override
        public String refusedCallers(String rule) {
          return "";
        }

        @Override
        public void close() {}
      };

  /** Is notified of each decision. */
  DecisionListener decisionListener();

  /**
   * Starts. Called once, before the first decision and before the thread runs.
   *
   * @param thread for periodic work and for queries
   * @param health the current state of the store
   * @return is notified of each change of the rules
   */
  RuleChangeListener start(
      DecisionEngine decisionEngine,
      BackgroundThread thread,
      TimeSource time,
      Supplier<StoreHealth> health);

  /**
   * Describes the callers that a rule refused lately, as the end of a log line; empty if none is
   * known. Runs on the background thread.
   */
  String refusedCallers(String rule);

  /** Closed with the node. */
  void close();
}
