//! Where nothing looks at loads, chance has a closed form: no simulation is needed, and none is as
//! accurate.

mod bounds;
mod families;
mod lattice;
mod load;
mod maximum;
mod proportion;
mod sum;
mod weighted;

pub use load::{ITEMS_MAX, Load, POINTS_MAX, Placement, SERVERS_MAX};
pub use maximum::Expected;
pub use proportion::interval;
pub use weighted::{Kind, Weighted};
