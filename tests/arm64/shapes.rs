// Virtual calls, sorting and formatting, without code that unwinds (panic=abort). shapes [MS]
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

trait Shape {
    fn area(&self, depth: u32) -> f64;
}
struct Square(f64);
struct Ring(Box<dyn Shape>);

impl Shape for Square {
    fn area(&self, depth: u32) -> f64 {
        self.0 * f64::from(depth % 7)
    }
}

impl Shape for Ring {
    fn area(&self, depth: u32) -> f64 {
        self.0.area(depth + 1).sqrt() + 1.0
    }
}

#[inline(never)]
fn words(n: u64) -> usize {
    let mut count: BTreeMap<String, u64> = BTreeMap::new();
    for i in 0..n {
        *count.entry(format!("k{}", i % 97)).or_default() += i;
    }
    let mut sorted: Vec<_> = count.into_iter().collect();
    sorted.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    sorted.len()
}

fn work(end: Instant) -> f64 {
    let mut sum = 0.0;
    while Instant::now() < end {
        let mut shape: Box<dyn Shape> = Box::new(Square(2.0));
        for _ in 0..50 {
            shape = Box::new(Ring(shape));
        }
        sum += (0..50).map(|depth| shape.area(depth)).sum::<f64>() + words(500) as f64;
    }
    sum
}

fn main() {
    let ms = std::env::args().nth(1).map_or(500, |text| text.parse().unwrap());
    let end = Instant::now() + Duration::from_millis(ms);
    let other = std::thread::spawn(move || work(end));
    println!("{}", work(end) + other.join().unwrap());
}
