package io.weir.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Everything that was opened is closed, whatever fails on the way. */
class ClosingTest {
  private final List<String> closed = new ArrayList<>();
  private final Closing closing = new Closing();

  @Test
  void theLastIsFirstAndEachIsClosedOnce() {
    open("feed");
    open("store");
    closing.all();
    closing.all();
    assertThat(closed).containsExactly("store", "feed");
  }

  @Test
  void oneThatFailsDoesNotKeepTheOthersOpen() {
    open("feed");
    openBroken("store");
    openBroken("loops");
    assertThatThrownBy(closing::all)
        .hasMessage("loops")
        .satisfies(e -> assertThat(e.getSuppressed()[0]).hasMessage("store"));
    assertThat(closed).containsExactly("feed");
  }

  @Test
  void aDrainThatFailsStillCloses() {
    open("feed");
    open("store");
    assertThatThrownBy(
            () ->
                closing.after(
                    () -> {
                      throw new IllegalStateException("drain");
                    }))
        .hasMessage("drain");
    assertThat(closed).containsExactly("store", "feed");
  }

  @Test
  void whyItIsClosedIsNotHiddenByWhatFailsThen() {
    openBroken("store");
    Exception reason = new Exception("port in use");
    closing.becauseOf(reason);
    assertThat(reason.getSuppressed()).hasSize(1);
  }

  private void open(String name) {
    closing.add(() -> closed.add(name));
  }

  private void openBroken(String name) {
    closing.add(
        () -> {
          throw new IllegalStateException(name);
        });
  }
}
