package io.weir.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Everything that was opened is closed, whatever fails on the way. */
class CloserTest {
  private final List<String> closed = new ArrayList<>();
  private final Closer closer = new Closer();

  @Test
  void closesInReverseOrderAndOnce() {
    open("rules");
    open("store");
    closer.all();
    closer.all();
    assertThat(closed).containsExactly("store", "rules");
  }

  @Test
  void failingCloseDoesNotKeepOthersOpen() {
    open("rules");
    openBroken("store");
    openBroken("loops");
    assertThatThrownBy(closer::all)
        .hasMessage("loops")
        .satisfies(e -> assertThat(e.getSuppressed()[0]).hasMessage("store"));
    assertThat(closed).containsExactly("rules");
  }

  @Test
  void closesEvenIfDrainFails() {
    open("rules");
    open("store");
    assertThatThrownBy(
            () ->
                closer.after(
                    () -> {
                      throw new IllegalStateException("drain");
                    }))
        .hasMessage("drain");
    assertThat(closed).containsExactly("store", "rules");
  }

  @Test
  void laterFailureIsSuppressedByTheReason() {
    openBroken("store");
    Exception reason = new Exception("port in use");
    closer.becauseOf(reason);
    assertThat(reason.getSuppressed()).hasSize(1);
  }

  private void open(String name) {
    closer.add(() -> closed.add(name));
  }

  private void openBroken(String name) {
    closer.add(
        () -> {
          throw new IllegalStateException(name);
        });
  }
}
